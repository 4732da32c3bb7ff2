import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { documentsToBuild } from '../dist/adapters/http/routes/document-text.js'
import { versionOfPackage } from '../dist/composition/version.js'

// Writes the OpenAPI documents, which the service serves, into dist/open-api. Generating a document takes 65 ms, for
// which a running service would answer no other request.
const folder = 'dist/open-api'
mkdirSync(folder, { recursive: true })
for (const [name, text] of documentsToBuild(versionOfPackage()))
  writeFileSync(join(folder, name), text)
