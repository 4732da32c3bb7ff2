import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { createTar } from 'nanotar'

// Bundles the client into one file, and packs it with its types into the npm package that the service serves. The
// compiler must have written the types before. Equal sources give equal bytes.
const compiled = 'dist/client'
const folder = 'dist/client-package'
await build({
  entryPoints: ['src/client/dossier.ts'],
  bundle: true,
  minify: true,
  // Node prints the line of an uncaught error. A short line keeps the message of the error in sight.
  lineLimit: 120,
  format: 'esm',
  target: 'es2022',
  outfile: `${compiled}/dossier.js`,
  logLevel: 'warning',
})

const { version, license, engines } = JSON.parse(await readFile('package.json', 'utf8'))
const manifest = {
  name: 'dossier-client',
  version,
  description: 'The client of Dossier: customer profiles and events over HTTP.',
  license,
  type: 'module',
  engines,
  sideEffects: false,
  exports: { '.': { types: './dossier.d.ts', default: './dossier.js' } },
}

/** The types that callers reach from the entry point, directly or through other types. */
const types = new Set(['dossier.d.ts'])
for (const name of types) {
  const text = await readFile(`${compiled}/${name}`, 'utf8')
  for (const [, module] of text.matchAll(/'\.\/([\w-]+)\.js'/g)) types.add(`${module}.d.ts`)
}

/**
 * Returns the types of the API with the first sentence of each description, so that the package stays small. The whole
 * descriptions are in /openapi.json.
 */
function shortDescriptions(types) {
  return types.replace(/\/\*\*([\s\S]*?)\*\//g, (_, text) => {
    const line = text.replace(/\s*\n\s*\*\s?/g, ' ').trim()
    return `/** ${/^.*?[.:](?=\s|$)/.exec(line)?.[0] ?? line} */`
  })
}

const readTypes = (name) => readFile(`${compiled}/${name}`, 'utf8')

/** The names in the braces of imports or exports, such as `Reply` or `Rule as AnyRule`. */
function namesIn(texts, pattern) {
  const lists = texts.flatMap((text) => [...text.matchAll(pattern)].map(([, names]) => names))
  const names = lists.flatMap((list) => list.split(','))
  return [...new Set(names.map((name) => name.replace('type ', '').trim()))].filter(Boolean).sort()
}

/**
 * Returns the types of all modules as one module, because one file is smaller than many. It imports the types of the
 * API, and exports what the entry point exports. If the entry point exports only the type of a class, the module
 * exports only the type, too.
 */
function oneModule(modules) {
  const entry = modules.get('dossier.d.ts')
  const imported = namesIn([...modules.values()], /^import .*\{(.*)\} from '\.\/api-types\.js'/gm)
  const values = namesIn([entry], /^export \{(.*)\}/gm)
  const types = namesIn([entry], /^export type \{(.*)\}/gm)
  const wholly = [
    'dossier.d.ts',
    ...[...entry.matchAll(/\* from '\.\/(.*)\.js'/g)].map(([, name]) => `${name}.d.ts`),
  ]
  const classes = []
  const declarations = [...modules].map(([name, text]) =>
    text
      .replace(/^(?:import|export) .*(?:from '.*'|\{.*\});\n/gm, '')
      .replace(/^export ((?:declare )?\w+ (\w+))/gm, (line, declaration, id) => {
        if (wholly.includes(name) || values.includes(id)) return line
        if (types.includes(id) && !declaration.startsWith('declare')) return line
        if (types.includes(id)) classes.push(id)
        return declaration
      }),
  )
  return `import type { ${imported.join(', ')} } from './api-types.js';
export type * from './api-types.js';
export type { ${classes.join(', ')} };
${declarations.join('').replace(/^ +/gm, '')}`
}

const own = [...types].filter((name) => name !== 'api-types.d.ts').sort()
const modules = new Map(await Promise.all(own.map(async (name) => [name, await readTypes(name)])))
const ownTypes = oneModule(modules)
const apiTypes = await readTypes('api-types.d.ts')
const files = [
  ['package.json', `${JSON.stringify(manifest, null, 2)}\n`],
  ['README.md', await readFile('src/client/README.md', 'utf8')],
  ['dossier.js', await readFile(`${compiled}/dossier.js`, 'utf8')],
  ['dossier.d.ts', ownTypes],
  ['api-types.d.ts', shortDescriptions(apiTypes).replace(/^ +/gm, '')],
]
/**
 * The attributes of every packed file. They are fixed, so that the bytes do not depend on the time and the user of the
 * build.
 */
const attrs = { mode: '644', uid: 0, gid: 0, mtime: Date.UTC(2026, 0) }
const tar = createTar(files.map(([name, data]) => ({ name: `package/${name}`, data, attrs })))
const script = await readFile(`${compiled}/dossier.js`)
await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
await writeFile(`${folder}/client.tgz`, gzipSync(tar, { level: 9 }))
await writeFile(`${folder}/client.js`, script)
// Writes the types of `dossier/client` in the package of the service, with whole descriptions.
await writeFile(`${folder}/dossier.d.ts`, ownTypes)
await writeFile(`${folder}/api-types.d.ts`, apiTypes)
await writeFile(`${folder}/client.js.gz`, gzipSync(script, { level: 9 }))
