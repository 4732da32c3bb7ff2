/** Invisible characters: controls, and marks that change how the text around them is shown. */
const unseen = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu

/** The text with a sign in place of each invisible character: `⟨U+202E⟩`. */
export function visible(text: string): string {
  return text.replace(unseen, (sign) => {
    const code = sign.codePointAt(0) ?? 0
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
}

/** The same for text of several lines. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n')
}

/** The beginning of a text. `rest`: the number of characters that are left out. */
export function cut(text: string, length: number): { shown: string; rest: number } {
  if (text.length <= length) return { shown: text, rest: 0 }
  // Keeps both halves of a surrogate pair together. The browser shows half a pair as a question mark.
  const end = /[\ud800-\udbff]/.test(text.charAt(length - 1)) ? length - 1 : length
  return { shown: text.slice(0, end), rest: text.length - end }
}
