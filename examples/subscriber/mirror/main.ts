import { existsSync } from 'node:fs'
import { Dossier } from 'dossier/client'
import { OptionsWrong } from '../command-line.js'
import { runProgram, say, stopSignal } from '../run-program.js'
import { feedOf } from './feed.js'
import { followSegment } from './follow-segment.js'
import { SegmentMirror } from './mirror.js'
import { readOptions, usage, type Options } from './options.js'
import { SegmentService } from './service.js'
import { PositionUnknown, SegmentMissing, ServiceRefused } from './service-errors.js'
import { storeSubscriptionOf } from './store-subscription.js'

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options.kind === 'help') {
    process.stdout.write(usage)
    return
  }
  if (options.kind === 'report' && !existsSync(options.database))
    throw new OptionsWrong(`there is no database ${options.database}`)
  const mirror = SegmentMirror.open(options.database)
  try {
    if (options.kind === 'report') report(mirror)
    else await follow(mirror, options)
  } finally {
    mirror.close()
  }
}

async function follow(
  mirror: SegmentMirror,
  options: Extract<Options, { readonly kind: 'follow' }>,
): Promise<void> {
  const { segment, service: url, key, database } = options
  if (mirror.segment !== undefined && mirror.segment !== segment)
    throw new OptionsWrong(`${database} is a mirror of ${mirror.segment}`)
  const ending = new AbortController()
  const signal = AbortSignal.any([stopSignal(), ending.signal])
  const dossier = new Dossier({ url, key })
  await followSegment(mirror, {
    ...options,
    service: new SegmentService(dossier, segment, signal),
    source:
      options.url === undefined
        ? feedOf(dossier, segment)
        : storeSubscriptionOf(options.url, segment),
    signal,
    end: () => {
      ending.abort()
    },
    now: () => performance.now(),
    say,
  })
}

function report(mirror: SegmentMirror): void {
  const { segment = 'nothing yet', since = 'none', place, members } = mirror
  const at = place === undefined ? 'none' : String(place.commit)
  say(`segment\t${segment}\tmembers\t${String(members.count)}\tdigest\t${members.digest}`)
  say(`position\t${at}\tentered since\t${since}`)
  for (const id of members.ids()) say(`member\t${id}`)
  for (const { factId, entityId, at: when } of mirror.entered())
    say(`entered\t${entityId}\t${when}\t${factId}`)
}

await runProgram(main, [PositionUnknown, SegmentMissing, ServiceRefused])
