/** The stream `$$x` holds the metadata of the stream `x`. */
export const metastreamPrefix = '$$'

export function metastreamOf(stream: string): string {
  return `${metastreamPrefix}${stream}`
}
