import type { IsFull } from '../../src/application/recording/update-entity.js'

/** Treats no profile as full. */
export const noLimit: IsFull = () => false
