import { orderForm } from './order.js'
import { runLoad } from './run-load.js'

/**
 * Runs the load in a separate process, so that its CPU time is not part of the server's. Executes one order at a
 * time.
 */
process.on('message', (message) => {
  runLoad(orderForm.parse(message)).then(
    (outcome) => process.send?.({ outcome }),
    (error: unknown) => process.send?.({ failed: String(error) }),
  )
})
process.once('disconnect', () => {
  process.exit()
})
