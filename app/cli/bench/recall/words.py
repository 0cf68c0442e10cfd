"""What names and questions are put together from. Pure data; names that sound real and are nobody's."""

import re
from collections.abc import Mapping
from typing import Final

FIRST: Final = tuple(
    re.findall(
        r"\w+",
        """
        Amber Anchor Basalt Beacon Birch Boreal Bramble Bronze Cinder Cobalt Copper Coral Crane
        Delta Ember Falcon Fennel Flint Garnet Granite Halcyon Harbor Hazel Heron Indigo Ivory
        Jasper Juniper Kestrel Lantern Larch Linden Lumen Magnet Maple Marble Meadow Mercury Mistral
        Nimbus Obsidian Onyx Orchid Osprey Pebble Pelican Quartz Quill Raven Saffron Sequoia Slate
        Sorrel Sparrow Summit Tangent Tundra Umber Velvet Vertex Walnut Willow Zephyr Zircon
        """,
    )
)
PRODUCT_PARTS: Final = tuple(
    re.findall(
        r"\w+",
        """
        Archive Broker Cache Canvas Client Codec Compiler Console Crawler Engine Exporter Gateway
        Index Kernel Ledger Mailer Mapper Monitor Notebook Parser Planner Proxy Queue Renderer
        Router Runner Scheduler Schema Sensor Server Shell Signer Store Stream Studio Tracker
        Validator Vault Viewer Worker
        """,
    )
)
COMPANY_PARTS: Final = tuple(
    re.findall(
        r"\w+",
        """
        Systems Labs Foundation Works Cooperative Industries Institute Networks Logistics Robotics
        Energy Press
        """,
    )
)
TOWN_STARTS: Final = tuple(
    re.findall(
        r"\w+",
        """
        Port North East South Lower Upper New Old Saint Great
        """,
    )
)
TOWN_STEMS: Final = tuple(
    re.findall(
        r"\w+",
        """
        Alder Ash Black Bright Cal Clay Dun Elm Fair Glen Hal Holm Inver Kings Lang Mar Nether Oak
        Pen Quin Red Sel Thorn Ulver Wal Wester Whit Yar
        """,
    )
)
TOWN_ENDS: Final = tuple(
    re.findall(
        r"\w+",
        """
        bury den field ford gate ham holt mere mouth stead ton wick
        """,
    )
)
TOPIC_ADJECTIVES: Final = tuple(
    re.findall(
        r"\w+",
        """
        adaptive binary cold distributed edge federated graph incremental lossless offline parallel
        sparse
        """,
    )
)
TOPIC_NOUNS: Final = tuple(
    re.findall(
        r"\w+",
        """
        billing caching compression encryption forecasting indexing logging mapping rendering
        replication routing search
        """,
    )
)
LICENCE_PARTS: Final = (
    "Public Licence 2.0",
    "Public Licence 3.0",
    "Permissive Licence",
    "Community Licence 1.1",
)
LANGUAGES: Final = (
    "C",
    "C++",
    "C#",
    "F#",
    ".NET",
    "Go",
    "Rust",
    "Objective-C",
    "Python",
    "PL/SQL",
    "TypeScript",
)
DUTIES: Final = ("On-call", "Release Desk", "Security Desk", "Data Stewards", "Support Rota")
# Names that a tokenizer of words would lose.
SIGNS: Final = ("{}++", "{}#", ".{}", "{}.js", "{}/core", "@{}/cli")

# Questions in the predicate's own words. {} is the name asked about; `object` ones ask for the subject.
PLAIN: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("depends_on", "object"): ("What does {} depend on?", "{} depends on what"),
    ("depends_on", "subject"): ("What depends on {}?", "Which things are dependent on {}?"),
    ("licensed_under", "object"): ("What is {} licensed under?", "{} is licensed under"),
    ("written_in", "object"): ("What is {} written in?", "{} written in"),
    ("maintained_by", "object"): ("Who is {} maintained by?", "{} is maintained by whom"),
    ("maintained_by", "subject"): ("What is maintained by {}?", "things maintained by {}"),
    ("headquartered_in", "object"): ("Where is {} headquartered?", "{} headquartered in"),
    ("funded_by", "object"): ("Who is {} funded by?", "{} is funded by"),
    ("has_topic", "object"): ("Which topic does {} have?", "topic of {}"),
    ("responsible_for", "subject"): ("Who is responsible for {}?", "responsible for {}"),
    ("responsible_for", "object"): ("What is {} responsible for?", "{} is responsible for"),
    ("alternative_to", "object"): ("What is an alternative to {}?", "alternatives to {}"),
    ("located_in", "object"): ("Where is {} located?", "{} is located in"),
}
# Questions in other words; the first half is for even seeds, the second half for odd ones.
OTHER_WORDS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("depends_on", "object"): (
        "Which packages does {} rely on?",
        "what else must be installed for {} to work",
        "What does {} need?",
        "requirements of {}",
    ),
    ("depends_on", "subject"): (
        "What breaks when {} goes away?",
        "Who relies on {}?",
        "What would stop without {}?",
        "Which packages require {}?",
    ),
    ("licensed_under", "object"): (
        "Under which terms is {} distributed?",
        "Is {} free to use commercially?",
        "Which license does {} have?",
        "What are the legal terms of {}?",
    ),
    ("written_in", "object"): (
        "Which programming language is {} implemented in?",
        "What is {} coded in?",
        "What language did they choose for {}?",
        "{} programming language",
    ),
    ("maintained_by", "object"): (
        "Who looks after {}?",
        "Who is the maintainer of {}?",
        "Who takes care of {}?",
        "Which organisation maintains {}?",
    ),
    ("headquartered_in", "object"): (
        "Which town is {} based in?",
        "Where are the headquarters of {}?",
        "Where is the head office of {}?",
        "Where does {} have its headquarters?",
    ),
    ("funded_by", "object"): (
        "Who pays for {}?",
        "Who are the sponsors of {}?",
        "Who finances {}?",
        "Who is {} sponsored by?",
    ),
    ("has_topic", "object"): (
        "What is {} about?",
        "What subject does {} treat?",
        "What does {} deal with?",
        "What is {} for?",
    ),
    ("responsible_for", "subject"): (
        "Who is in charge of {}?",
        "Whom do I call about {}?",
        "Who has charge of {}?",
        "Who answers for {}?",
    ),
    ("alternative_to", "object"): (
        "What could I use instead of {}?",
        "What competes with {}?",
        "What else does the job of {}?",
        "any substitute for {}",
    ),
    ("located_in", "object"): (
        "In which region is {} situated?",
        "Where can I find {} on a map?",
        "Where does {} lie?",
        "Whereabouts is {}?",
    ),
}
# Two relations after each other: the first leads from the name to what the second one is about.
TWO_HOPS: Final[Mapping[tuple[tuple[str, str], tuple[str, str]], tuple[str, ...]]] = {
    (("maintained_by", "object"), ("headquartered_in", "object")): (
        "Where is the maintainer of {} headquartered?",
        "Headquarters of the organisation that {} is maintained by",
        "Where is the organisation that maintains {} headquartered?",
        "In which town is whoever maintains {} headquartered?",
    ),
    (("depends_on", "object"), ("licensed_under", "object")): (
        "Which licences are the dependencies of {} licensed under?",
        "What is everything that {} depends on licensed under?",
        "Under what are the things that {} depends on licensed?",
        "licences of the dependencies of {}",
    ),
    (("depends_on", "object"), ("written_in", "object")): (
        "In which languages are the dependencies of {} written?",
        "What are the things that {} depends on written in?",
        "What is each dependency of {} written in?",
        "languages in which what {} depends on is written",
    ),
    (("depends_on", "object"), ("responsible_for", "subject")): (
        "Who is responsible for what {} depends on?",
        "Who is responsible for the dependencies of {}?",
        "Who is responsible for whatever {} depends on?",
        "Which team is responsible for each dependency of {}?",
    ),
    (("headquartered_in", "object"), ("located_in", "object")): (
        "Where is the town located in which {} is headquartered?",
        "In which region is the headquarters of {} located?",
        "Which region is the place located in where {} is headquartered?",
        "{} is headquartered in a town: where is it located?",
    ),
    (("alternative_to", "object"), ("depends_on", "object")): (
        "What do the alternatives to {} depend on?",
        "What does an alternative to {} depend on?",
        "Which dependencies do alternatives to {} have?",
        "On what does each alternative to {} depend?",
    ),
}
