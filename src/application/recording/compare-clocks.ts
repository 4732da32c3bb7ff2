/** A reply of a store that says when it was made. All three are in milliseconds since 1970. */
export interface DatedReply {
  /** Before the request, by our clock. */
  readonly sentAt: number
  /** When it was here, by our clock. */
  readonly receivedAt: number
  /** By the store's clock: `StoreTime.dateOfReply`. */
  readonly date: number
}

/** By how much two clocks may differ, in milliseconds. */
export const maxApartMs = 3_000

/** The store's clock may be ahead of the date of its reply by this many milliseconds. */
const dateSpanMs = 1_999

/**
 * By how many milliseconds our clock can be ahead of the store's; negative: behind it. The reply was made
 * at some instant from `sentAt` to `receivedAt`, at which the store's clock stood somewhere from `date` to
 * `date + 1,999`: all that lies between the two ends is possible, and nothing beyond them is.
 */
function possibleOffsets({ sentAt, receivedAt, date }: DatedReply) {
  return { least: sentAt - (date + dateSpanMs), most: receivedAt - date }
}

/**
 * What a reply proves of the two clocks:
 * - `apart`: by more than 3 s, for certain: `receivedAt + 3,000 < date`, or
 *   `sentAt − 3,000 > date + 1,999`
 * - `together`: by at most 3 s, for certain
 * - `nothing`: both are possible. So it is of a reply that took long, and of clocks that are 1 to 5 s
 *   apart, more or less, as the seconds fall
 */
export function compareClocks(reply: DatedReply): 'apart' | 'together' | 'nothing' {
  const { least, most } = possibleOffsets(reply)
  if (least > maxApartMs || most < -maxApartMs) return 'apart'
  return least >= -maxApartMs && most <= maxApartMs ? 'together' : 'nothing'
}

/** By about how much our clock is ahead, in milliseconds: off by a second, and by half of the wait. */
export function estimateOffset(reply: DatedReply): number {
  const { least, most } = possibleOffsets(reply)
  return (least + most) / 2
}
