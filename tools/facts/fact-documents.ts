import { schemaVersion } from '../../src/application/facts/fact-schemas.js'
import { asyncApiDocument } from './async-api-document.js'
import { dataSchemas, metadataSchema, standalone } from './json-schema.js'

/** The files of `docs/facts`, name → text. */
export function factDocuments(): ReadonlyMap<string, string> {
  const suffix = `v${String(schemaVersion)}.schema.json`
  return new Map([
    [`entity-created.${suffix}`, print(standalone(dataSchemas.EntityCreated))],
    [`event-recorded.${suffix}`, print(standalone(dataSchemas.EventRecorded))],
    [`metadata.${suffix}`, print(standalone(metadataSchema))],
    ['asyncapi.json', print(asyncApiDocument())],
  ])
}

/** White space that is not a blank is spelled out: nobody can see it, and editors change it. */
function print(document: object): string {
  const text = JSON.stringify(document, null, 2)
  return `${text.replaceAll(/[^\n -~]/g, escaped)}\n`
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
