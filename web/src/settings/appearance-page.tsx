import { type ReactNode, useState } from 'react'
import { chooseTheme, chosenTheme, themes } from '../parts/theme.ts'

export default function AppearancePage(): ReactNode {
  const [theme, setTheme] = useState(chosenTheme)
  return (
    <div className="flex flex-col gap-4">
      <p className="text-soft">How the page looks. The choice belongs to this browser.</p>
      <fieldset className="flex flex-col gap-2 text-sm">
        <legend className="mb-2 font-medium">Colours</legend>
        {themes.map(({ id, title }) => (
          <label key={id} className="flex items-center gap-2">
            <input
              type="radio"
              name="theme"
              checked={theme === id}
              className="accent-accent"
              onChange={() => {
                chooseTheme(id)
                setTheme(id)
              }}
            />
            {title}
          </label>
        ))}
      </fieldset>
    </div>
  )
}
