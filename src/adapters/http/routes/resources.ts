import { batch } from './batch.js'
import { entities } from './entities.js'
import { events } from './events.js'
import { health } from './health.js'
import { metrics } from './metrics.js'
import { openApi } from './open-api.js'
import { entityList } from './entity-list.js'
import { entitySegments } from './entity-segments.js'
import { evaluate } from './evaluate.js'
import { handMembers } from './hand-members.js'
import { history } from './history.js'
import { profile } from './profile.js'
import { readHealth } from './read-health.js'
import { facts } from './facts.js'
import type { ReadParts, Resource } from './resource.js'
import { segmentDefinitions } from './segment-definitions.js'
import { segmentMembers } from './segment-members.js'
import { segments } from './segments.js'
import { timeline } from './timeline.js'

/** What is served by every process. */
export const resources: readonly Resource[] = [
  entities,
  events,
  batch,
  segmentDefinitions,
  handMembers,
  health,
  metrics,
  openApi,
]

/** What is served by a process that has a read model. */
export const readResources: readonly Resource<ReadParts>[] = [
  profile,
  entityList,
  timeline,
  history,
  facts,
  segments,
  segmentMembers,
  entitySegments,
  evaluate,
  readHealth,
]
