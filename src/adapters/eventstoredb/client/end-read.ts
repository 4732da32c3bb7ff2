import type { ResolvedEvent, StreamingRead } from '@eventstore/db-client'

/**
 * A read knows no deadline: left alone it would wait as long as its connection lives. It is not
 * destroyed: one whose answer is here already would then never be let go by its client.
 */
export function endRead(events: StreamingRead<ResolvedEvent>): void {
  events.on('error', ignore)
  events.cancel().catch(ignore)
}

function ignore(): void {
  return undefined
}
