/**
 * Returns the address of the OpenAPI document. The address is relative, so it stays valid behind a proxy with a path
 * prefix.
 */
export function apiDocumentAddress(): string {
  return 'openapi.json'
}
