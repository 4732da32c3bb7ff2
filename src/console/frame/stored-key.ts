const name = 'dossier-key'
/** The time without activity after which the page forgets the key, in milliseconds. */
export const idleMs = 30 * 60_000

/** Returns the key that this tab has kept, or undefined. */
export function storedKey(): string | undefined {
  return sessionStorage.getItem(name) ?? undefined
}

export function storeKey(key: string): void {
  sessionStorage.setItem(name, key)
}

export function dropKey(): void {
  sessionStorage.removeItem(name)
}
