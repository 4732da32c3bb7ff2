/** The metadata of the stream `x` are in the stream `$$x`. */
export const metastreamPrefix = '$$'

export function metastreamOf(stream: string): string {
  return `${metastreamPrefix}${stream}`
}
