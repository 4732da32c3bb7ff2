import { asyncApiDocument } from './async-api-document.js'
import { metadataSchema, publishedVersions, standalone } from './json-schema.js'

/** Returns the files of `docs/facts`: text by file name. */
export function factDocuments(): ReadonlyMap<string, string> {
  return new Map([
    ...publishedVersions.map(
      ({ type, version, schema }) => [fileName(type, version), print(standalone(schema))] as const,
    ),
    [fileName('Metadata', 1), print(standalone(metadataSchema))],
    ['asyncapi.json', print(asyncApiDocument())],
  ])
}

/** Returns a file name such as `event-recorded.v1.schema.json`. */
function fileName(type: string, version: number): string {
  const name = type.replaceAll(/\B[A-Z]/g, '-$&').toLowerCase()
  return `${name}.v${String(version)}.schema.json`
}

/** Formats a document. Escapes white space other than blanks, because it is invisible and editors change it. */
function print(document: object): string {
  const text = JSON.stringify(document, null, 2)
  return `${text.replaceAll(/[^\n -~]/g, escaped)}\n`
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
