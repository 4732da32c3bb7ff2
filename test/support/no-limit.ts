import type { IsFull } from '../../src/application/recording/update-entity.js'

/** No profile is full. */
export const noLimit: IsFull = () => false
