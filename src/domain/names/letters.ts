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

/** More letters, and letters that are spelt together. Only comparisons use them, because stored hashes depend on `TABLE`. */
const MORE = `
  ә a,ae,e  ғ g,gh  қ k,q  ң n,ng  ө o,oe,u  ұ u  ү u,ue  һ h  ҳ h,kh  ҷ j,ch,dj  җ j,zh  ҙ z,dh  ҫ s,th  кс ks,x
  μπ mp,b  ντ nt,d  γγ gg,ng  γκ gk,g  γχ gch,nch  τζ tz,j
  ა a  ბ b  გ g  დ d  ე e  ვ v  ზ z  თ t  ი i  კ k  ლ l  მ m  ნ n  ო o  პ p  ჟ zh  რ r  ს s  ტ t  უ u  ფ p  ქ k  ღ gh
  ყ q,k  შ sh  ჩ ch  ც ts  ძ dz  წ ts  ჭ ch  ხ kh  ჯ j  ჰ h
  ա a  բ b  գ g  դ d  ե e,ye  զ z  է e  ը y,e  թ t  ժ zh  ի i  լ l  խ kh  ծ ts  կ k  հ h  ձ dz  ղ gh  ճ ch  մ m  յ y,h
  ն n  շ sh  ո o,vo  չ ch  պ p  ջ j  ռ r  ս s  վ v  տ t  ր r  ց ts  ւ v  փ p  ք k  օ o  ֆ f  ու u
  ɓ b  ɗ d  ƙ k  ƴ y  ɖ d  ɛ e  ɔ o  ɣ g
`

export type Letters = ReadonlyMap<string, readonly string[]>

const lettersOf = (table: string): Letters =>
  new Map(
    [...table.matchAll(/(\S+) (\S+)/g)].map(([, letter = '', spellings = '']) => [
      letter,
      spellings.split(',').map((each) => (each === '-' ? '' : each)),
    ]),
  )

/** The spellings of each letter in the table. An empty spelling omits the letter. */
export const LETTERS = lettersOf(TABLE)
export const ALL_LETTERS = lettersOf(TABLE + MORE)

/** The Latin letters in the table, which each have a spelling without their accents or with two letters. */
const LATIN = /[äåæðđħıĳĸłŋñöøœßþŧü]/gu

/** Replaces the Latin letters of a text in lower case as passports do. */
export const spellAsPassport = (lower: string): string =>
  lower.replace(LATIN, (letter) => LETTERS.get(letter)?.[0] ?? letter)
