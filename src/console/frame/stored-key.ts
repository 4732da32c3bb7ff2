const name = 'dossier-key'
/** The page forgets the key after so long without activity, in milliseconds. */
export const idleMs = 30 * 60_000

/** The key that was kept for this tab; undefined: none was. */
export function storedKey(): string | undefined {
  return sessionStorage.getItem(name) ?? undefined
}

export function storeKey(key: string): void {
  sessionStorage.setItem(name, key)
}

export function dropKey(): void {
  sessionStorage.removeItem(name)
}
