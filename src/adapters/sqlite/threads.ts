import { receiveMessageOnPort, type MessagePort, type Worker } from 'node:worker_threads'

/** Resolves when a thread has ended: with the error message if the thread failed, otherwise with undefined. */
export function endOf(thread: Worker): Promise<string | undefined> {
  return new Promise((resolve) => {
    let failure: string | undefined
    thread.on('error', (error) => {
      failure = error.message
    })
    thread.once('exit', () => {
      resolve(failure)
    })
  })
}

/** Yields the messages that have arrived on a port and are not handled yet. */
export function* messagesOn<Message>(port: MessagePort): Iterable<Message> {
  for (;;) {
    const received: { readonly message: Message } | undefined = receiveMessageOnPort(port)
    if (received === undefined) return
    yield received.message
  }
}

/**
 * The most items in one message. With this limit, the other thread works on a full message while this thread
 * produces the next items. If one message contained all items of a tick, the two threads would wait for each
 * other.
 */
const itemsOfMessage = 16

/** Sends the items of one tick of the event loop to another thread in few messages. */
export class MessageBatch<Item> {
  private items: Item[] = []
  private isSendingSoon = false

  constructor(private readonly send: (items: readonly Item[]) => void) {}

  add(item: Item): void {
    this.items.push(item)
    if (this.items.length >= itemsOfMessage) {
      this.sendNow()
    } else if (!this.isSendingSoon) {
      this.isSendingSoon = true
      setImmediate(this.sendAtEndOfTick)
    }
  }

  sendNow(): void {
    const { items } = this
    if (items.length === 0) return
    this.items = []
    this.send(items)
  }

  private readonly sendAtEndOfTick = (): void => {
    this.isSendingSoon = false
    this.sendNow()
  }
}
