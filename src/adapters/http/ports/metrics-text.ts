/** The metrics of this process, as text for those who collect them. */
export interface MetricsText {
  readonly contentType: string
  text(): Promise<string>
}
