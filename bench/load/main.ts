import { orderForm } from './order.js'
import { runLoad } from './run-load.js'

/** The load, a process of its own: what it costs is not the server's cost. One order at a time. */
process.on('message', (message) => {
  runLoad(orderForm.parse(message)).then(
    (outcome) => process.send?.({ outcome }),
    (error: unknown) => process.send?.({ failed: String(error) }),
  )
})
process.once('disconnect', () => {
  process.exit()
})
