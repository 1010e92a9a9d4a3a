"""Other languages are told from English by their script or their common words."""

from __future__ import annotations

import pytest

from assay.text.language import is_english


@pytest.mark.parametrize(
    "text",
    [
        "Die Kündigungsfrist beträgt drei Monate zum Monatsende.",
        "Der Vermieter muss eine Frist von drei Monaten einhalten.",
        "Los contratos se envían por correo postal y no por correo electrónico.",
        "El plan Pro cuesta 49 dólares al mes.",
        "La demande doit être déposée avant le 5 mai.",
        "Il contratto può essere disdetto entro 14 giorni.",
        "O plano básico não é mais vendido em 2024.",
        "De opzegtermijn van het contract is drie maanden.",
        "Avtalet kan sägas upp med en månads varsel och det är gratis.",
        "Umowa nie może być rozwiązana przed końcem roku i jest ważna.",
        "لا يُسمح بالتصوير داخل المتحف.",
        "Договор можно расторгнуть в течение 14 дней.",
        "博物馆内禁止拍照。",
        "写真撮影は禁止されています。",
    ],
)
def test_other_languages_are_noticed(text: str) -> None:
    assert not is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Refund window: 30 days",
        "**Deadline:** 5 May",
        "Don Quijote de la Mancha was written by Miguel de Cervantes.",
        "Die Zauberflöte is an opera by Mozart.",
        "Q2 revenue – €4.1 m",
        "Mount Everest (Sagarmāthā, सगरमाथा) is 8,849 m high.",
        "El Niño events warm the Pacific.",
        "kubectl get pods -n default",
        "",
        "42",
        "La La Land won six Oscars.",
        "Note: de facto the rule is not applied.",
    ],
)
def test_english_with_foreign_names_stays_english(text: str) -> None:
    assert is_english(text)
