import { useEffect, useState } from 'preact/hooks'

const dark = matchMedia('(prefers-color-scheme: dark)')

/** Whether the page is dark. A chart is drawn anew when this changes, because a canvas keeps its colours. */
export function useDark(): boolean {
  const [isDark, setDark] = useState(dark.matches)
  useEffect(() => {
    const changed = () => {
      setDark(dark.matches)
    }
    dark.addEventListener('change', changed)
    return () => {
      dark.removeEventListener('change', changed)
    }
  }, [])
  return isDark
}

/** The value of a design token, such as `--accent`. */
export function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}

/** How many series have a colour of their own: the tokens `--series-1` and so on. */
export const seriesAtMost = 6

/** The token of a series. The last colour is grey, for the sum of all others. */
export function seriesToken(at: number): string {
  return `--series-${String(Math.min(at, seriesAtMost - 1) + 1)}`
}
