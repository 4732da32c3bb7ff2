import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { it } from '@jest/globals'

/** The SDKs are a separate package, because the product does not install them. */
export const sdksFolder = resolve('test/sdks')

/** Whether tests fail without the SDKs instead of being skipped. CI sets this. */
const isRequired = process.env['SDKS'] === 'required'

/** A test that needs the SDKs. Skipped when they are not installed, unless SDKS=required. */
export const itWithSdks: typeof it.skip =
  isRequired || existsSync(join(sdksFolder, 'node_modules')) ? it : it.skip
