import { attachStrace, type Attached } from './attach-strace.js'

/** Makes each read and write of these files hang for a minute, or until it is released. */
export function holdFiles(pid: number, paths: readonly string[]): Promise<Attached> {
  const calls = 'pread64,pwrite64,fsync,fdatasync,ftruncate'
  return attachStrace(pid, [
    ...['-o', '/dev/null'],
    ...paths.flatMap((path) => ['-P', path]),
    ...['-e', `trace=${calls}`, '-e', `inject=${calls}:delay_enter=60s`],
  ])
}
