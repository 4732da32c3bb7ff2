import { readFileSync } from 'node:fs'
import { Dossier, DossierError, type FactOf, type FollowedFact, type Member } from 'dossier/client'
import pg from 'pg'
import { batches } from './batches.js'
import { Mirror, type MemberList } from './mirror.js'

/** Returns the API key. Throws when neither variable is set. */
function keyIn({ DOSSIER_KEY, DOSSIER_KEY_FILE }: NodeJS.ProcessEnv): string {
  if (DOSSIER_KEY !== undefined) return DOSSIER_KEY
  if (DOSSIER_KEY_FILE !== undefined) return readFileSync(DOSSIER_KEY_FILE, 'utf8').trim()
  throw new Error('no API key: set DOSSIER_KEY, or DOSSIER_KEY_FILE')
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

const { DOSSIER_URL: url = 'http://127.0.0.1:3000', DATABASE_URL: connectionString } = process.env
const dossier = new Dossier({ url, key: keyIn(process.env), timeoutMs: 300_000 })

/** Returns the members of a segment. Undefined when the segment no longer exists. */
async function listOf(segment: string): Promise<MemberList | undefined> {
  try {
    // Pages belong to the served version. If a newer version is served in between, the list is read again.
    for (;;) {
      const list = await pagesOf(segment)
      if (list !== undefined) return list
    }
  } catch (error) {
    if (error instanceof DossierError && error.code === 'segment_not_found') return undefined
    throw error
  }
}

async function pagesOf(segment: string): Promise<MemberList | undefined> {
  const pages = dossier.segments.members(segment, { limit: 1_000 })
  const first = await pages.page()
  const members: Member[] = [...first.items]
  for (let cursor = first.next_cursor; cursor !== null;) {
    const page = await pages.page(cursor)
    if (page.version !== first.version) return undefined
    members.push(...page.items)
    cursor = page.next_cursor
  }
  return { version: first.version, members }
}

/** The name of this mirror as a recipient in receipts of erasures. */
const { ERASURE_RECIPIENT: recipient = 'postgres-mirror' } = process.env

/**
 * Confirms an erasure after its rows were deleted. Does so at `ErasedFactsRemoved`, because a store may remove the
 * `EntityErased` before this mirror reads it. An erasure that was copied from another store is not found.
 */
async function confirm({ data, position }: FactOf<'ErasedFactsRemoved'>): Promise<void> {
  try {
    await dossier.erasures.confirm(data.erasure_id, { recipient, position })
  } catch (error) {
    if (!(error instanceof DossierError)) throw error
    say(`erasure ${data.erasure_id} is done and not confirmed: ${error.message}`)
  }
}

const db = new pg.Client(connectionString)
await db.connect()
const mirror = await Mirror.open(db)
say(`goes on after ${mirror.cursor}`)
const facts = dossier.facts({
  after: mirror.cursor,
  onLive: () => {
    say(`live`)
  },
  onBreak: (error, pauseMs) => {
    say(`${error.message} Goes on in ${String(Math.round(pauseMs))} ms.`)
  },
})
const endsWith = ({ type }: FollowedFact) => type === 'SegmentBuilt'
for await (const batch of batches(facts, { maxItems: 500, lingerMs: 20, endsWith })) {
  const last = batch.at(-1)
  const list = last?.type === 'SegmentBuilt' ? await listOf(last.data.segment) : undefined
  await mirror.apply(batch, list)
  for (const fact of batch) if (fact.type === 'ErasedFactsRemoved') await confirm(fact)
}
