import type { JSX } from 'preact'
import { addressOf } from './route.js'

/** The name of the product, with its sign. */
export function Brand(): JSX.Element {
  return (
    <a class="brand" href={addressOf([])}>
      <i aria-hidden="true" />
      <span>Dossier</span>
    </a>
  )
}
