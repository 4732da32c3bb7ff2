import { commandOf } from '../adapters/cli/command-line.js'

const form = {
  name: 'start',
  about: 'Starts the service. It runs until a signal (Ctrl-C, SIGTERM) stops it.',
  usage: [''],
  options: {},
  takesArguments: false,
  notes: [
    'Settings are environment variables. The most common ones:',
    '  PORT       the port (default: 3000; 0: any free port)',
    '  HOST       the address to listen on (default: 127.0.0.1; all interfaces: 0.0.0.0)',
    '  STORE_URL  the store of the facts (default: sqlite:./data/dossier.db)',
    '  API_KEY    a key with every scope (default: the first start makes a key in data/first-key)',
    'All settings: docs/configuration.md',
  ],
  example: 'PORT=8080 dossier start',
  exitCodes: [
    [0, 'a signal stopped the service'],
    [1, 'the start failed, requests were cut off, or the store was lost'],
    [2, 'the command line is wrong'],
  ],
} as const

/** Sets no exit code here, because the service sets it when it ends. */
export const command = commandOf(form, async () => {
  await import('../main.js')
  return 0
})
