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

/** A read request. The call emits the result of `decode` for each message. The caller must listen for `error`. */
export interface Read<T> {
  readonly request: ReadReq
  readonly decode: (message: Buffer) => T
  readonly credentials: Credentials
  /** Whether any node may answer, not only the leader. */
  readonly ofAnyNode?: boolean
}

/**
 * The flow control window of a subscription: the number of bytes that the server may send before
 * the reader has read them. With 64 KiB, the server would stall while the reader applies a page,
 * and would then drop the reader for lagging by a few hundred events.
 */
const bytesAhead = 4 * 1024 * 1024
/** The message size limit of the official client. A server can store events of this size. */
const maxMessageBytes = 17 * 1024 * 1024

export function readOver<T>(
  streams: StreamsClient,
  { request, decode }: Read<T>,
  [metadata, options]: readonly [Metadata, CallOptions],
): ClientReadableStream<T> {
  const { path, requestSerialize } = StreamsService.read
  return streams.makeServerStreamRequest(path, requestSerialize, decode, request, metadata, options)
}

/**
 * Opens a connection to a node with the settings of the official client, except that the flow
 * control window is `bytesAhead`.
 */
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
