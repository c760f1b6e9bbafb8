/**
 * The Latin spellings of letters, for names that documents and people write differently. The first spelling is that of
 * passports (ICAO 9303), if it has one. Decomposition handles all other letters with accents.
 */
const TABLE = `
  ä ae,a  å aa,a  æ ae  ð d,dh  đ d,dj  ħ h  ı i  ĳ ij  ĸ q,k  ł l  ŋ n  ñ n,nxx  ö oe,o  ø oe,o  œ oe  ß ss,sz
  þ th  ŧ t  ü ue,u,uxx  ə e,a  ʻ -  ʼ -
  а a  б b  в v  г g,h  д d  е e,ye,je  ж zh,z,j  з z  и i,y  к k  л l  м m  н n  о o  п p  р r  с s  т t  у u,ou
  ф f  х kh,h,ch  ц ts,c,tc  ч ch,c,tch  ш sh,s,sch  щ shch,sch,sht,stch  ъ ie,-,a,u  ы y,i  ь -  э e  ю iu,yu,ju,u
  я ia,ya,ja,a  ё e,io,yo,jo  й i,y,j,-  є ie,ye,je  і i  ї i,yi,ji,ii  ґ g  ў u,w  ј j  љ lj,l  њ nj,n  ћ c,dj  ђ d,dj
  џ dz,dj  ѓ g,gj  ќ k,kj  ѕ dz
  α a  β v,b  γ g,y  δ d  ε e  ζ z  η i,e  θ th  ι i  κ k  λ l  μ m  ν n  ξ x  ο o  π p  ρ r  σ s  ς s  τ t
  υ y,u,v,f,i  φ f,ph  χ ch,h,kh,x  ψ ps  ω o
  أ ا  إ ا  آ ا  ٱ ا  ى ي  ی ي  ک ك  ة ه  ـ -
`

/** The spellings of each letter in the table. An empty spelling omits the letter. */
export const LETTERS: ReadonlyMap<string, readonly string[]> = new Map(
  [...TABLE.matchAll(/(\S+) (\S+)/g)].map(([, letter = '', spellings = '']) => [
    letter,
    spellings.split(',').map((each) => (each === '-' ? '' : each)),
  ]),
)

/** The Latin letters in the table, which each have a spelling without their accents or with two letters. */
const LATIN = /[äåæðđħıĳĸłŋñöøœßþŧü]/gu

/** Replaces the Latin letters of a text in lower case as passports do. */
export const spellAsPassport = (lower: string): string =>
  lower.replace(LATIN, (letter) => LETTERS.get(letter)?.[0] ?? letter)
