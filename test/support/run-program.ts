import { execFile } from 'node:child_process'

export interface ProgramEnding {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a built program of the product to its end. Its environment contains only `PATH` and these variables. */
export function runProgram(
  program: string,
  words: readonly string[],
  { cwd, ...env }: Readonly<Record<string, string>> & { readonly cwd: string },
): Promise<ProgramEnding> {
  const { PATH = '' } = process.env
  return new Promise((resolve) => {
    const options = { cwd, env: { PATH, ...env } }
    const child = execFile(process.execPath, [program, ...words], options, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr })
    })
  })
}
