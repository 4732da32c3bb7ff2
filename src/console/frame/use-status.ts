import type { ServiceStatus } from '../../client/dossier.js'
import { useAnswer, type Shown } from '../parts/use-answer.js'
import { useSession } from './session.js'

/** Returns the state of the process that replies. */
export function useStatus(): Shown<ServiceStatus> {
  const { client } = useSession()
  return useAnswer(['status'], (signal) => client.service.status({ signal }))
}
