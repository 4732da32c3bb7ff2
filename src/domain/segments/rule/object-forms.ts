/** A set of words (member names) that an object in a rule may have together. */
export interface ObjectForm {
  /** The required words. The first word identifies the form. */
  readonly needs: readonly string[]
  readonly takes: readonly string[]
}

export function formsOfOne(...words: readonly string[]): readonly ObjectForm[] {
  return words.map((word) => ({ needs: [word], takes: [] }))
}

export interface RefusedWord {
  readonly word: string
  /** The accepted words that exclude the refused word. The list is empty when no form has the refused word. */
  readonly apart: readonly string[]
  /**
   * True if the word is an alternative to an accepted word. For example, `after` is an alternative to `before`
   * in a time test.
   */
  readonly isAlternative: boolean
}

export interface FittedWords {
  /** The words that are permitted together, in the order of the object. */
  readonly accepted: readonly string[]
  /** The refused words. The list begins with the words that no form has. */
  readonly refused: readonly RefusedWord[]
  /** The required words that the object lacks, in the form that fits best. */
  readonly missing: readonly string[]
  /**
   * The words that may be added to the accepted words. If no word is accepted, these are the first words of all
   * forms.
   */
  readonly possible: readonly string[]
}

/** Compares the words of an object with the form that fits best. `forms` has at least one form. */
export function fitWords(words: readonly string[], forms: readonly ObjectForm[]): FittedWords {
  const isWord = (word: string) => forms.some((form) => hasWord(form, word))
  const possibleWords = words.filter(isWord)
  const closest = closestForm(possibleWords, forms)
  const accepted = possibleWords.filter((word) => hasWord(closest, word))
  const misplaced = possibleWords.filter((word) => !hasWord(closest, word))
  const isBeginning = accepted.length === 0 && forms.length > 1
  return {
    accepted,
    refused: [
      ...words
        .filter((word) => !isWord(word))
        .map((word) => ({ word, apart: [], isAlternative: false })),
      ...misplaced.map((word) => ({
        word,
        apart: accepted.filter((other) => !forms.some((form) => hasWord(form, word, other))),
        isAlternative: isAlternative(word, closest, forms),
      })),
    ],
    missing: isBeginning ? [] : missingIn(closest, accepted),
    possible: isBeginning ? beginnings(forms) : possibleBeside(accepted, forms),
  }
}

function hasWord({ needs, takes }: ObjectForm, ...words: readonly string[]): boolean {
  return words.every((word) => needs.includes(word) || takes.includes(word))
}

function missingIn({ needs }: ObjectForm, words: readonly string[]): readonly string[] {
  return needs.filter((word) => !words.includes(word))
}

/**
 * Returns the form with the fewest refused words. Of several such forms, returns the form with the fewest
 * missing words, and then the form whose first refused word comes latest.
 */
function closestForm(words: readonly string[], forms: readonly ObjectForm[]): ObjectForm {
  const compared = forms.map((form) => ({
    form,
    refused: words.filter((word) => !hasWord(form, word)).length,
    firstRefused: words.findIndex((word) => !hasWord(form, word)),
    missing: missingIn(form, words).length,
  }))
  return compared.reduce((best, other) => {
    const difference =
      best.refused - other.refused ||
      best.missing - other.missing ||
      other.firstRefused - best.firstRefused
    return difference > 0 ? other : best
  }).form
}

function isAlternative(word: string, closest: ObjectForm, forms: readonly ObjectForm[]): boolean {
  return forms.some(
    (form) => form.needs[0] === word || (form.needs[0] === closest.needs[0] && hasWord(form, word)),
  )
}

function beginnings(forms: readonly ObjectForm[]): readonly string[] {
  return unique(forms.flatMap(({ needs, takes }) => (needs.length > 0 ? needs.slice(0, 1) : takes)))
}

function possibleBeside(
  accepted: readonly string[],
  forms: readonly ObjectForm[],
): readonly string[] {
  const fitting = forms.filter((form) => hasWord(form, ...accepted))
  return unique(fitting.flatMap(({ needs, takes }) => [...needs, ...takes])).filter(
    (word) => !accepted.includes(word),
  )
}

function unique(words: readonly string[]): readonly string[] {
  return [...new Set(words)]
}
