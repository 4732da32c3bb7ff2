/** The prefix of metadata streams: the stream `$$x` has the metadata of the stream `x`. */
export const metastreamPrefix = '$$'

export function metastreamOf(stream: string): string {
  return `${metastreamPrefix}${stream}`
}
