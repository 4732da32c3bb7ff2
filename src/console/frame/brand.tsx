import type { JSX } from 'preact'
import { addressOf } from './route.js'

/** The name and the logo of the product. */
export function Brand(): JSX.Element {
  return (
    <a class="brand" href={addressOf([])}>
      <i aria-hidden="true" />
      <span>Dossier</span>
    </a>
  )
}
