/** placeholder */
export type ImageWarning = 'blurred' | 'dark' | 'glare'
