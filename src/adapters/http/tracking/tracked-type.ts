/** What an item of Segment's protocol can be. */
export const trackedTypes = ['identify', 'track', 'page', 'screen', 'group', 'alias'] as const

export type TrackedType = (typeof trackedTypes)[number]

export function isTrackedType(text: unknown): text is TrackedType {
  return trackedTypes.some((type) => type === text)
}
