import { editsBetween } from '../domain/near-miss.js'
import { settingVariables } from './settings.js'

interface MisspeltSetting {
  readonly variable: string
  readonly setting: string
}

/**
 * Finds environment variables that are probably misspelt settings. Other programs have variables
 * too, so a short name must be much closer to the name of a setting than a long name.
 */
export function misspeltSettings(
  env: Readonly<Record<string, string | undefined>>,
): readonly MisspeltSetting[] {
  return Object.keys(env)
    .filter((variable) => !settingVariables.includes(variable))
    .flatMap((variable) => {
      const setting = settingVariables.find((one) => isMisspelt(variable, one))
      return setting === undefined ? [] : [{ variable, setting }]
    })
}

function isMisspelt(variable: string, setting: string): boolean {
  if (variable.toUpperCase() === setting) return true
  if (`${variable}_MS` === setting) return true
  // Skips comparing names whose lengths differ too much. This saves 40 ms at the start.
  if (Math.abs(variable.length - setting.length) > 2) return false
  const edits = editsBetween(variable, setting)
  if (setting.length >= 10) return edits <= 2
  if (edits !== 1) return false
  if (setting.length >= 8) return true
  const isSwap = lettersOf(variable) === lettersOf(setting)
  const isDoubled = variable.replace(/(.)\1/g, '$1') === setting
  const isLetterMoreOrLess = setting.length >= 6 && variable.length !== setting.length
  return isSwap || isDoubled || isLetterMoreOrLess
}

function lettersOf(name: string): string {
  return name.split('').sort().join('')
}
