import { batch } from './batch.js'
import { entities } from './entities.js'
import { events } from './events.js'
import { health } from './health.js'
import { metrics } from './metrics.js'
import { openApi } from './open-api.js'
import { entityList } from './entity-list.js'
import { history } from './history.js'
import { profile } from './profile.js'
import { readHealth } from './read-health.js'
import { facts } from './facts.js'
import type { ReadParts, Resource } from './resource.js'
import { timeline } from './timeline.js'

/** What is served by every process. */
export const resources: readonly Resource[] = [entities, events, batch, health, metrics, openApi]

/** What is served by a process that has a read model. */
export const readResources: readonly Resource<ReadParts>[] = [
  profile,
  entityList,
  timeline,
  history,
  facts,
  readHealth,
]
