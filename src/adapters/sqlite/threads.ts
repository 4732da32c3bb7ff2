import { receiveMessageOnPort, type MessagePort, type Worker } from 'node:worker_threads'

/** Resolves when a thread has ended: with what it failed with, if it did. */
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

/** What has arrived on a port and has not been heard yet. */
export function* messagesOn<Message>(port: MessagePort): Iterable<Message> {
  for (;;) {
    const received: { readonly message: Message } | undefined = receiveMessageOnPort(port)
    if (received === undefined) return
    yield received.message
  }
}

/**
 * Items in one message, at most. The other thread begins with the first ones while this one makes the next:
 * with all of a tick in one message the threads would work alternately.
 */
const itemsOfMessage = 16

/** What is sent to another thread in one tick goes together. */
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
