import { batch } from './batch.js'
import { entities } from './entities.js'
import { events } from './events.js'
import { health } from './health.js'
import { metrics } from './metrics.js'
import { openApi } from './open-api.js'
import type { Resource } from './resource.js'

/** Everything that is served. */
export const resources: readonly Resource[] = [entities, events, batch, health, metrics, openApi]
