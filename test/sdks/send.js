import { messageOf } from './messages.js'
import { sdks } from './node-sdks.js'

// Sends numbered messages through an SDK. Prints which of them its callbacks reported as delivered, and which as failed:
// node send.js SDK URL KEY COUNT
const [sdk = '', url = '', key = '', count = '0'] = process.argv.slice(2)
const maxWaiting = 400

const analytics = sdks[sdk]({ url, key })
const delivered = []
const failed = []
let waiting = 0
let goOn = () => undefined

for (let number = 0; number < Number(count); number += 1) {
  if (waiting >= maxWaiting) await new Promise((resolve) => (goOn = resolve))
  send(number)
}
while (waiting > 0) await new Promise((resolve) => (goOn = resolve))
process.stdout.write(JSON.stringify({ delivered, failed }))
process.exit(0)

function send(number) {
  const { type, message } = messageOf(number)
  waiting += 1
  let isTold = false
  analytics[type](message, (error) => {
    if (isTold) return
    isTold = true
    waiting -= 1
    if (error) failed.push(number)
    else delivered.push(number)
    goOn()
  })
}
