import { systemClock } from '../adapters/system/system-clock.js'
import { copyFactsUseCase, type CopyAccount } from '../application/migration/copy-facts.js'
import type { CopyProgress } from '../application/migration/ports/copy-progress.js'
import { CopyRefused } from '../application/migration/ports/copy-refused.js'
import type { StoreCopies } from './store-kind.js'
import { copyForms, storeKindOf } from './stores.js'

/**
 * Copies all facts from one store to another, both named by their URLs, and lets both go. Throws
 * `CopyRefused`, `StoreNotOpened` and `store_unavailable`.
 */
export async function copyBetweenStores(
  urls: { readonly from: string; readonly to: string },
  progress: CopyProgress,
): Promise<CopyAccount> {
  const [out, into] = [copiesOf(urls.from, '--from'), copiesOf(urls.to, '--to')]
  if (urls.from === urls.to) throw new CopyRefused('--from and --to are the same store')
  const source = await out.from(urls.from)
  try {
    const target = await into.to(urls.to)
    try {
      return await copyFactsUseCase(source, target, progress, systemClock)()
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

function copiesOf(url: string, option: string): StoreCopies {
  const copies = storeKindOf(url)?.copies
  if (copies !== undefined) return copies
  throw new CopyRefused(`${option} must be ${copyForms}`)
}
