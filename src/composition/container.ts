import 'reflect-metadata'
import { Container, ContainerModule } from 'inversify'
import { faultCodes } from '../adapters/http/errors/faults.js'
import { Metrics } from '../adapters/prometheus/metrics.js'
import { systemClock } from '../adapters/system/system-clock.js'
import { uuidGenerator } from '../adapters/system/uuid-generator.js'
import type { Log } from '../application/ports/log.js'
import { clockModule } from './clock-module.js'
import { KeyRings } from './key-rings.js'
import { readingModule } from './reading-module.js'
import { recordingModule } from './recording-module.js'
import { segmentsModule } from './segments-module.js'
import type { Settings } from './settings.js'
import { tokens } from './tokens.js'

/**
 * Every part of the service that lives as long as it does. The store opens when it is first asked
 * for (`getAsync`) and closes with `unbindAllAsync`.
 */
export function createContainer(
  settings: Settings,
  log: Log,
  version: string,
  onStoreLost: (reason: string) => void,
): Container {
  const container = new Container({ defaultScope: 'Singleton' })
  container.bind(tokens.settings).toConstantValue(settings)
  container.bind(tokens.log).toConstantValue(log)
  container.bind(tokens.onStoreLost).toConstantValue(onStoreLost)
  container
    .bind(tokens.metrics)
    .toConstantValue(new Metrics({ version, faultCodes, maxInFlight: settings.maxInFlight }))
  container.load(
    systemModule,
    keyModule,
    clockModule,
    recordingModule,
    readingModule,
    segmentsModule,
  )
  return container
}

const systemModule = new ContainerModule(({ bind }) => {
  bind(tokens.clock).toConstantValue(systemClock)
  bind(tokens.ids).toConstantValue(uuidGenerator)
})

const keyModule = new ContainerModule(({ bind }) => {
  bind(tokens.keyRing)
    .toResolvedValue((settings, log) => new KeyRings(settings, log), [tokens.settings, tokens.log])
    .onDeactivation((rings: KeyRings) => {
      rings.close()
    })
})
