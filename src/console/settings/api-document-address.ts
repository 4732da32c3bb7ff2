/** The OpenAPI document beside the page. It is relative, so it stays valid under the prefix of a proxy. */
export function apiDocumentAddress(): string {
  return 'openapi.json'
}
