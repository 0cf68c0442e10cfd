"""The words that the rules know, each in one class. Pure.

A class is a role in a sentence, in whatever language: the rules in `phrases` combine classes, so that a new
word widens every rule that names its class. Where two rules need a word in different company, it has a class of
its own.
"""

from collections.abc import Mapping
from typing import Final

from app.remember.guard.folding import fold

CLASSES: Final[Mapping[str, str]] = {
    "drop": """ignore ignoring disregard disregarding forget override overriding overrule neglect discard
        dismiss abandon bypass cancel nullify unlearn violate""",
    "aside": "aside",
    # What people do with instructions and prompts of theirs.
    "keep_up": """check edit define configure customize customise set style theme put add open find learn
        download attach finish complete bring choose select adjust tune improve adapt refine version thank
        sharpen""",
    "regardless": "regardless contrary despite notwithstanding",
    "defy": "quit break disobey defy discount skip ditch scrap suspend deactivate",
    "disable": "drop disable",
    # These languages put the verb last.
    "drop_last": "무시하세요 무시해 무시하고 잊어 yoksay yok unut",
    "earlier": """previous prior earlier preceding above foregoing original former before previously old""",
    "all": "all any every",
    "everything": "everything",
    "your": "your",
    "you": "you u",
    "instruction": """instruction instructions directive directives direction directions guideline guidelines
        guidance""",
    "rule": "rule rules constraint constraints restriction restrictions programming limitations",
    "measure": """order orders filter filters policies morals limits protocol protocols training""",
    "safety": "safety safeguards guardrails alignment ethics",
    "prompt": "prompt prompts промпт промпта",
    "systemprompt": "systemprompt systemprompts systeemprompt systemprompten",
    "system": "system hidden initial internal confidential",
    "message": "message text words content contents wording",
    "reveal": """reveal print show tell output repeat leak disclose dump recite expose summarise summarize
        encode""",
    "write": "write translate copy share display list give quote echo provide paste describe explain",
    "send": "send post email mail forward upload exfiltrate append transmit include publish",
    "secret": """key keys password passwords passphrase credential credentials secret secrets token tokens
        variables history conversation conversations data""",
    "memory": "memory context brain speicher speichers gedächtnis mémoire memoria geheugen pamięć памяти память",
    "memories": "memories",
    "destination": "https http url link address below @",
    "model": """ai ais llm llms assistant assistants chatbot chatbots model models bot agent agents verifier
        verifiers ki""",
    "called": "chatgpt gpt claude gemini copilot",
    "must": "must should shall required has will ought may",
    "obey": "obey obeys",
    "comply": "comply",
    "follow": "follow following heed",
    "approve": "approve confirm accept mark treat trust",
    "rate": "rate rank classify regard consider",
    "fact": "entailed fact authoritative",
    "verdict": "facts approved confirmed verified trusted trustworthy secure primary true",
    "answer": "answer respond reply say",
    "return": "return",
    "only": "only always",
    "persona": "pretend act roleplay simulate impersonate behave",
    "unlimited": "unrestricted unfiltered uncensored jailbroken jailbreak evil dan",
    "user": "user users reader readers",
    "not": "not never dont no without stop",
    "mention": "mention acknowledge",
    "inform": "inform informing telling notify notifying asking",
    "call": "call invoke use execute run",
    "tool": "tool tools",
    "function": "function functions",
    "shell": "shell bash python browser terminal",
    "own_tool": "retract remember submit delete",
    "new": "new real",
    "task": "task role objective personality persona identity",
    "changed": """changed cancelled canceled void lifted removed disabled revoked suspended off expired
        rewritten replaced obsolete outdated lapsed waived deleted""",
    "alter": "change replace switch",
    "test": "test fake wrong mistake",
    "nothing": "nothing",
    "against": "against",
    "now": "now on",
    "then": "please and then just kindly so bitte und et y e en и och og",
    "instead": "instead",
    "be": "are is be am were was been re",
    "given": "given received got date dadas données gegeben dane",
    "told": "told said says",
    "known": "know see have hold",
    "mode": "mode",
    "developer": """developer developers god root admin administrator operator vendor creator creators maker
        makers""",
    "enable": "enable enabled enter activate unlock",
    "note": "note memo",
    "hail": "attention dear hey hello hi",
    "to": "to for",
    "read": "read reading processing process parsing seeing",
    "if": "if when whenever",
    "what": "what which",
    "ask": "ask asks asked",
    "future": "future",
    "save": "save store memorise memorize update",
    "forever": "permanently forever",
    "keep": "keep",
    "claim": "hypothesis hypotheses claim claims relationship relationships candidate candidates",
    "confidence": "confidence verdict",
    "decode": "decode decipher decrypt",
    "do": "do",
    "refuse": "refuse refuses",
    "outrank": "supersede supersedes precedence outranks outrank trumps wins prevails beats",
    "take": "take",
    "from": "from",
    "free": "free freed liberated",
    "recommend": "recommend endorse",
    "praise": "praise promote cite favour favor",
    "state": "state report insist",
    "subject": "page product author company paper applicant supplier shop site package pull library article",
    "delete": "erase wipe destroy",
    "this": "this that it next",
    "grandmother": "grandmother grandma",
    "longer": "longer",
    "bound": "bound restricted constrained",
    "request": "request question",
    "result": "result results",
    "review": "review verification checking checks evidence",
    "of": "of",
    "i": "i me",
    # The same in other languages of Europe, where fewer words of a sentence need to be known.
    "other_drop": """ignoriere ignoriert ignorieren vergiss vergesst vergessen missachte missachten
        überschreibe umgehe verwirf ignora ignorez ignoren ignorad ignorons ignorate ignorem ignorera ignorer
        ignoruj olvida olvide olviden olvídate descarta descarte omite sáltate oublie oubliez oublions
        néglige négligez contourne contournez esqueça esquece desconsidere desconsidera dimentica dimenticate
        scorda trascura tralascia negeer negeren vergeet zignoruj zignorujcie zapomnij zapomnijcie pomiń
        zapomeň glöm glem unohda игнорируй игнорируйте забудь забудьте проигнорируй отбрось нарушь ігноруй
        تجاهل انس felejtsd αγνόησε ξέχασε desobedece desobedeça désobéis""",
    "other_earlier": """vorherigen vorherige vorigen bisherigen bisherige früheren frühere obigen obige
        obenstehenden vorangegangenen vorstehenden oben bisher zuvor vorher précédentes précédents précédente
        antérieures dessus haut auparavant anteriores anterior previas previos arriba antes acima
        anteriormente precedenti sopra prima vorige eerdere bovenstaande voorgaande hierboven poprzednie
        poprzednich powyższe powyższych wcześniejsze wcześniej předchozí předešlé tidigare föregående
        tidligere forrige aiemmat предыдущие прежние предыдущих прежних выше раньше вышеуказанные попередні
        السابقة 이전의 이전 önceki précède procede präcedenti előző korábbi anterioare προηγούμενες предыдущим
        прежним powyżej vorheriges vorheriger vorangehende""",
    "other_all": """alle allen sämtliche sämtlichen toutes tous todas todos tutte tutti al wszystkie
        wszystkich všechny alla все всех усі جميع كل 모든 tüm όλες όλα összes toate""",
    "other_everything": "alles tout todo tudo tutto wszystko wszystkim všechno allt",
    "other_your": """deine deinen deiner deines dein deinem eure tes ton vos votre tus tu vuestras suas seu
        seus teu teus tuas tuoi tue tuo vostre jouw je uw swoje swój swoim twoje své svoje tvoje dina ditt
        dine твои свои своих твоих""",
    "other_instruction": """anweisung anweisungen vorgabe vorgaben instruktionen regeln befehle richtlinien
        systemanweisung systemanweisungen consigne consignes règle règles ordres instrucciones reglas órdenes
        directrices instruções regras ordens diretrizes istruzioni regole ordini direttive instructies regels
        richtlijnen opdrachten instrukcje instrukcji polecenia poleceń zasady zasadach zasad reguły pokyny
        instrukce pravidla instruktioner regler anvisningar instruksjoner instrukser ohjeet инструкции
        указания указаний правила правил інструкції التعليمات القواعد 지시를 지시 지시는 명령을 규칙을 talimatları
        talimatlar kuralları utasításokat instrucțiunile οδηγίες инструкциям указаниям правилам normas norme
        normes инструкциях правилах указаниях""",
    "other_system": """système sistema systeem systemowy systemowe системный системные системного geheime
        geheimen verborgenen versteckten internen cachées secrètes initiales internes ocultas secretas
        iniciales internas iniciais nascoste segrete iniziali verborgen ukryte tajne skryté dolda hemliga
        скрытые секретные начальные النظام""",
    "other_reveal": """zeige zeig nenne gib wiederhole offenbare enthülle drucke affiche affichez montre
        montrez donne donnez répète répétez divulguez muestra muéstrame repite dime mostre mostra mostrami
        imprima repita diga stampa ripeti dimmi toon onthul geef herhaal pokaż wypisz podaj wyświetl powtórz
        zobraz ukaž vypiš prozraď visa avslør näytä покажи покажите раскройте выведи выведите повтори назови
        اعرض أظهر göster recopie recopiez enséñame laat""",
    "other_not": "nicht keine pas plus não non niet geen nie inte ikke не nunca jamais",
    "other_follow": """befolge befolgen beachte beachten folge respecte respectez suis suivez sigas siga
        sigue obedezcas respetes cumplas seguire segui rispettare volg volgen przestrzegaj stosuj följ følg
        следуй соблюдай выполняй слушай""",
    "other_told": """gesagt gelesen dicho dito detto gezegd verteld powiedziano sagt говорили сказали wurde
        dijeron dijo dijiste dissero diceva vertelde zei dit aufgetragen befohlen""",
    "other_answer": """antworte antwortet réponds répondez responde responda responder rispondi rispondete
        antwoord odpowiedz odpowiadaj svara svar odpověz ответь отвечай schreibe écris écrivez escribe
        escreva scrivi schrijf zeg di dis dites digas""",
    "other_obey": """gehorchen gehorche gehorchst obéir obedeces obedecer obedeça obedece obbedisci obéis
        obéissez luister słuchaj слушайся подчиняйся""",
    "other_developer": """entwickler entwicklers betreiber betreibers hersteller créateur créateurs
        développeur développeurs concepteur opérateur desarrollador desarrolladores creador creadores
        operador desenvolvedor desenvolvedores criador criadores creatore creatori sviluppatore sviluppatori
        ontwikkelaar ontwikkelaars twórca twórców разработчик разработчиков создатель создателя создателей""",
    "other_text": """texte texto testo tekst текст dokument documento document текста тексту""",
    "other_void": """ungültig aufgehoben hinfällig annulées annulés nulles anuladas nulas canceladas
        inválidas válidas annullate nietig ongeldig nieważne anulowane отменены недействительны""",
    "other_secret": """passwort kennwort zugangsdaten passe contraseña contraseñas claves senha senhas chaves
        chiavi wachtwoord wachtwoorden hasło hasła klucze пароль пароли ключи schlüssel""",
    "other_betray": """verrate verratet révèle révélez dévoile dévoilez divulgue revela rivela ujawnij
        раскрой avslöja""",
    "other_new": """neue neuen neuer nouvelle nouvelles nueva nuevas novas nova nuove nuova nieuwe nowe nowa
        новые новая новое nya nye""",
    "other_only": """nur seulement uniquement solo solamente apenas somente soltanto alleen tylko bara kun
        только ausschließlich únicamente exclusivement""",
}
# What a rule means by a class: its words in any language.
FAMILIES: Final[Mapping[str, tuple[str, ...]]] = {
    "approve": ("approve", "recommend"),
    "praise": ("praise", "recommend"),
    "drop": ("drop", "aside", "other_drop"),
    "earlier": ("earlier", "other_earlier"),
    "all": ("all", "other_all"),
    "everything": ("everything", "other_everything"),
    "your": ("your", "other_your"),
    "instruction": ("instruction", "other_instruction"),
    "system": ("system", "other_system"),
    "reveal": ("reveal", "other_reveal", "other_betray"),
    "answer": ("answer", "other_answer"),
    "only": ("only", "other_only"),
    "told": ("told", "other_told"),
    "rule": ("rule", "measure"),
    "norm": ("rule", "instruction", "prompt", "systemprompt", "safety"),
    "developer": ("developer", "other_developer"),
    "prompt": ("prompt", "systemprompt"),
    "other_reveal": ("other_reveal", "other_betray"),
}
# One character for each class, so that a text becomes a string and a rule a regular expression.
SIGNS: Final[Mapping[str, str]] = {name: chr(0x4E00 + index) for index, name in enumerate(CLASSES)}
SIGN_OF_WORD: Final[Mapping[str, str]] = {
    fold(word): SIGNS[name] for name, words in CLASSES.items() for word in words.split()
}
_VOWELS: Final = str.maketrans("", "", "aeiouy")
_MISSPELT: Final = ("ignore", "disregard", "previous", "instruction", "instructions", "prompt")


def skeleton(word: str) -> str:
    """Return what remains of a word when letters are swapped or doubled, or vowels lost."""
    return word[0] + "".join(sorted(set(word.translate(_VOWELS))))


SIGN_OF_SKELETON: Final[Mapping[str, str]] = {skeleton(word): SIGN_OF_WORD[word] for word in _MISSPELT}
