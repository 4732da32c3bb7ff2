import type { ChannelCredentialOptions, Credentials } from '@eventstore/db-client'
import { StreamsClient, StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js'
import {
  credentials,
  type CallOptions,
  type ClientReadableStream,
  type Metadata,
} from '@grpc/grpc-js'
import type { ConnectionOptions } from './connection-options.js'

/** What is read. The call emits what `decode` makes of each message; its caller listens for `error`. */
export interface Read<T> {
  readonly request: ReadReq
  readonly decode: (message: Buffer) => T
  readonly credentials: Credentials
  /** The node that is asked answers, though it may not lead. */
  readonly ofAnyNode?: boolean
}

/**
 * What a server may send of a subscription ahead of its reader: some thousand facts. With 64 KiB it
 * waits whenever a page is applied, and drops a live reader that is a few hundred events behind.
 */
const bytesAhead = 4 * 1024 * 1024
/** As the client has it: a server may hold events of this size. */
const maxMessageBytes = 17 * 1024 * 1024

export function readOver<T>(
  streams: StreamsClient,
  { request, decode }: Read<T>,
  [metadata, options]: readonly [Metadata, CallOptions],
): ClientReadableStream<T> {
  const { path, requestSerialize } = StreamsService.read
  return streams.makeServerStreamRequest(path, requestSerialize, decode, request, metadata, options)
}

/** A connection to a node with the settings of the client's own, but for `bytesAhead`. */
export function wideStreams(
  node: string,
  { insecure, rootCertificate, userKeyFile, userCertFile }: ChannelCredentialOptions,
  { keepAliveInterval, keepAliveTimeout }: ConnectionOptions,
): StreamsClient {
  const security =
    insecure === true
      ? credentials.createInsecure()
      : credentials.createSsl(rootCertificate, userKeyFile, userCertFile)
  return new StreamsClient(node, security, {
    'grpc.keepalive_time_ms': keepAliveInterval < 0 ? Number.MAX_VALUE : keepAliveInterval,
    'grpc.keepalive_timeout_ms': keepAliveTimeout < 0 ? Number.MAX_VALUE : keepAliveTimeout,
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc-node.flow_control_window': bytesAhead,
  })
}
