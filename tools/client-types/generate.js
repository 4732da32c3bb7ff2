import { writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import openapiTS from 'openapi-typescript'
import ts from 'typescript'

// Writes the types of the client, from the schemas of the OpenAPI document: see `npm run generate`.

// Compiles with a bundler, because a bundler checks no types. A type check would fail on outdated types of the client,
// which this program renews.
const bundle = '.build/client-types/client-schemas.js'
await build({
  entryPoints: ['tools/client-types/client-schemas.ts'],
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  outfile: bundle,
  logLevel: 'warning',
})
const { clientSchemas, contentsOf, typesFile } = await import(`../../${bundle}`)

/** The type for a schema of objects with any members. */
const jsonObject = ts.factory.createTypeReferenceNode('Properties')
const isJsonObject = ({ type, properties, additionalProperties }) =>
  type === 'object' && properties === undefined && additionalProperties === true

const schemas = clientSchemas()
const nodes = await openapiTS(
  { openapi: '3.1.0', info: { title: '', version: '' }, paths: {}, components: { schemas } },
  {
    immutable: true,
    // A parameter with a default may be left out.
    defaultNonNullable: false,
    silent: true,
    transform: (schema) => (isJsonObject(schema) ? jsonObject : undefined),
  },
)

/** The member `schemas` of the interface `components` has a type for each schema. */
const membersOf = (node, name) => node.members.find((member) => member.name.text === name)
const components = nodes.find(({ name }) => name?.text === 'components')
const declarations = membersOf(components, 'schemas').type.members.map((member) => {
  const modifiers = [ts.factory.createModifier(ts.SyntaxKind.ExportKeyword)]
  const { name, type } = member
  const declaration = ts.isTypeLiteralNode(type)
    ? ts.factory.createInterfaceDeclaration(modifiers, name.text, [], [], type.members)
    : ts.factory.createTypeAliasDeclaration(modifiers, name.text, [], type)
  return ts.setSyntheticLeadingComments(declaration, ts.getSyntheticLeadingComments(member))
})

const file = ts.createSourceFile('types.ts', '', ts.ScriptTarget.Latest)
const printer = ts.createPrinter()
const types = declarations
  .map((node) => printer.printNode(ts.EmitHint.Unspecified, node, file))
  .join('\n\n')
  .replaceAll(/components\["schemas"\]\["(\w+)"\]/g, '$1')
  .replaceAll('@description ', '')
  .replaceAll(/^ *\* @(?:enum|constant).*\n/gm, '')
  .replaceAll(/^ *\/\*\* @(?:enum|constant).*\n/gm, '')
  .replaceAll(/\/\*\*\n *\* (.*)\n *\*\//g, '/** $1 */')

writeFileSync(typesFile, contentsOf(types, schemas))
