import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads'

/** What has arrived on a port and has not been heard yet. */
export function* messagesOn<Message>(port: MessagePort): Iterable<Message> {
  for (;;) {
    const received: { readonly message: Message } | undefined = receiveMessageOnPort(port)
    if (received === undefined) return
    yield received.message
  }
}
