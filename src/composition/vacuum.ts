import { vacuumFile } from '../adapters/sqlite/file/vacuum-file.js'
import { type Settings, SettingsWrong } from './settings.js'
import { storeKindOf } from './stores.js'

/** Writes the store's file anew; returns its path. Throws `SettingsWrong`, and what `vacuumFile` throws. */
export function vacuumStore({ storeUrl }: Pick<Settings, 'storeUrl'>): string {
  const file = storeKindOf(storeUrl)?.reads?.factsFile(storeUrl)
  if (file === undefined)
    throw new SettingsWrong(['STORE_URL names no file that could be vacuumed'])
  vacuumFile(file)
  return file
}
