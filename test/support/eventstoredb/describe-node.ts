import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js'
import gossip from '@eventstore/db-client/generated/gossip_pb.js'
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js'
import features from '@eventstore/db-client/generated/serverfeatures_pb.js'
import type { Empty } from '@eventstore/db-client/generated/shared_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { handleUnaryCall } from '@grpc/grpc-js'
import { admit, type Node } from './node.js'
import { handlerThrew, WireError } from './wire-error.js'

const STREAMS = 'event_store.client.streams.streams'
const METHODS: readonly (readonly [name: string, ...features: string[]])[] = [
  ['read', 'position', 'events'],
  ['delete'],
  ['tombstone'],
]
const BATCH_APPEND = ['batchappend', 'deadline_duration'] as const

/** Implements ServerFeatures.GetSupportedMethods: the calls that this server supports, and its version. */
export function supportedMethods(
  node: Node,
  batches: boolean,
): handleUnaryCall<Empty, SupportedMethods> {
  const methods = batches ? [...METHODS, BATCH_APPEND] : METHODS
  return describe(node, 'features', () =>
    new features.SupportedMethods()
      .setEventStoreServerVersion('23.10.8')
      .setMethodsList(
        methods.map(([name, ...list]) =>
          new features.SupportedMethod()
            .setServiceName(STREAMS)
            .setMethodName(name)
            .setFeaturesList(list),
        ),
      ),
  )
}

/** Implements Gossip.Read: the members of the cluster as this node knows them. */
export function gossipMembers(node: Node): handleUnaryCall<Empty, ClusterInfo> {
  const { LEADER, FOLLOWER } = gossip.MemberInfo.VNodeState
  return describe(node, 'gossip', () =>
    new gossip.ClusterInfo().setMembersList(
      node.members().map(({ address, port, state, isAlive }) =>
        new gossip.MemberInfo()
          .setInstanceId(new shared.UUID().setString(crypto.randomUUID()))
          .setTimeStamp(String(BigInt(Date.now()) * 10_000n))
          .setState(state === 'leader' ? LEADER : FOLLOWER)
          .setIsAlive(isAlive)
          .setHttpEndPoint(new gossip.EndPoint().setAddress(address).setPort(port)),
      ),
    ),
  )
}

function describe<T>(
  node: Node,
  rpc: 'features' | 'gossip',
  answer: () => T,
): handleUnaryCall<Empty, T> {
  return (call, callback) => {
    admit(node, call, rpc).then(
      (admitted) => {
        if (admitted) callback(null, answer())
      },
      (error: unknown) => {
        callback(error instanceof WireError ? error : handlerThrew())
      },
    )
  }
}
