import { databaseFiles } from '../file/store-files.js'

/** All files that a read model at this path makes. */
export function readModelFiles(path: string): readonly string[] {
  const databases = [path, `${path}.lock`, buildingPath(path)].flatMap(databaseFiles)
  return [...databases, `${path}-copying`, `${path}.unreadable`]
}

/** Where it is until it is whole. */
export function buildingPath(path: string): string {
  return `${path}.building`
}
