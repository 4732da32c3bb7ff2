/**
 * Loaded into the service before its own code: when the program that started it is gone, however it
 * went, the channel between them breaks and the service stops as if told to. Otherwise a service
 * nobody knows of would keep the data.
 */
process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM')
})
process.channel?.unref()
