/** Component: a banner with one bold sentence and an explanation, which is on the same line if it is only a text. */
import type { ComponentChildren } from 'preact'
import { Glyph, type GlyphState } from './icon.tsx'

export type BannerTone = 'info' | 'success' | 'warning' | 'danger'

const GLYPHS: Readonly<Record<BannerTone, GlyphState>> = {
  info: 'info',
  success: 'done',
  warning: 'warning',
  danger: 'refused',
}

interface BannerProps {
  readonly tone?: BannerTone | undefined
  readonly title: ComponentChildren
  /** Announces the banner to screen readers. */
  readonly role?: 'status' | 'alert' | undefined
  readonly children?: ComponentChildren
}

export const Banner = ({ tone = 'info', title, role, children }: BannerProps) => (
  <div class={`banner banner-${tone}`} {...(role !== undefined && { role })}>
    <Glyph state={GLYPHS[tone]} />
    <div class="banner-text">
      {typeof children === 'string' ? (
        <p>
          <strong>{title}</strong> {children}
        </p>
      ) : (
        <>
          <strong>{title}</strong>
          {children}
        </>
      )}
    </div>
  </div>
)
