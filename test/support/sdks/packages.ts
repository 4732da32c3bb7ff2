import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { it } from '@jest/globals'

/** A package of its own: the product's install does not have them. */
export const sdksFolder = resolve('test/sdks')

/** Whether they must be there: a machine that checks what lands may not skip them. */
const isRequired = process.env['SDKS'] === 'required'

/** A test that needs the SDKs; skipped where they are not installed, unless SDKS=required. */
export const itWithSdks: typeof it.skip =
  isRequired || existsSync(join(sdksFolder, 'node_modules')) ? it : it.skip
