/**
 * Matches invisible characters: control characters, and characters that change how the text around them is displayed.
 */
const unseen = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu

/** Replaces each invisible character by a sign: `⟨U+202E⟩`. */
export function visible(text: string): string {
  return text.replace(unseen, (sign) => {
    const code = sign.codePointAt(0) ?? 0
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
}

/** Replaces the invisible characters of a text with several lines. Keeps the line breaks. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n')
}

/** Returns the beginning of a text. `rest` is the number of omitted characters. */
export function cut(text: string, length: number): { shown: string; rest: number } {
  if (text.length <= length) return { shown: text, rest: 0 }
  // Does not cut a surrogate pair in half. The browser would show half a pair as a question mark.
  const end = /[\ud800-\udbff]/.test(text.charAt(length - 1)) ? length - 1 : length
  return { shown: text.slice(0, end), rest: text.length - end }
}
